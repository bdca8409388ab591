/** How old what the view shows is; nothing while the states keep coming. */

import { age, isOld } from "../age";
import { number, t, unit } from "../i18n";

export function DataAge() {
  return (
    <div class="data-age" role="status">
      {isOld.value && (
        <p>
          {t("age.old")} <Age />
        </p>
      )}
    </div>
  );
}

/** Not read aloud: it changes ten times a second. */
function Age() {
  return (
    <span class="data-age-value" aria-hidden="true">
      {number(age.value, 1)} {unit("s")}
    </span>
  );
}
