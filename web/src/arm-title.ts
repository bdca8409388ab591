/** What arms are called: by their makers' names, and those that have a plain name in the reader's words. */

import { isKey, t } from "./i18n";

interface Named {
  readonly name: string;
  readonly title: string;
}

/** Return the title of an arm, in the reader's language where it is made of plain words. */
export function armTitle({ name, title }: Named): string {
  const key = `arm.name.${name}`;
  return isKey(key) ? t(key) : title;
}
