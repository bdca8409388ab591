/** `<ReferenceSelect />`: in which frame poses are shown and typed; nothing where the project has no frames of its own. */

import { t } from "../i18n";
import { project } from "../project";
import { chooseReference, reference } from "../reference";

export function ReferenceSelect() {
  const frames = project.value?.frames ?? [];
  if (frames.length === 0) return null;
  return (
    <select
      class="text-field reference-select"
      aria-label={t("frames.reference")}
      title={t("frames.referenceHint")}
      value={reference.value?.id ?? ""}
      onChange={(event) => chooseReference(event.currentTarget.value)}
    >
      <option value="">{t("frames.world")}</option>
      {frames.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
