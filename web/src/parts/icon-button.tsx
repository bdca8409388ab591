/** `<IconButton icon="undo" label={t("…")} onClick={…} />`: a square button; the label is its name and its tip. */

import type { ComponentProps } from "preact";
import { Icon, type IconName } from "./icon";

interface IconButtonProps extends Omit<ComponentProps<"button">, "icon" | "label" | "type"> {
  readonly icon: IconName;
  readonly label: string;
}

export function IconButton({ icon, label, title, ...rest }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={title ?? label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
