/** The arms of the scene: call them otherwise, select one, remove one. */

import { useSignal } from "@preact/signals";
import type { Failure } from "../../api";
import { arms, hasSeveral, removeArm, renameArm, selectArm, selectedArm } from "../../arms";
import { armTitle } from "../../arm-title";
import { robots } from "../../catalog";
import { sentenceOf } from "../../events";
import { t } from "../../i18n";
import { IconButton } from "../../parts/icon-button";
import { Section } from "../../parts/section";
import type { ProjectArm } from "../../protocol.gen";

/** Shown where there are several. */
export function ArmsList() {
  if (!hasSeveral.value) return null;
  return (
    <Section id="arm.arms" title={t("arms.heading")} help={t("arms.help")}>
      <ul class="arms-list">
        {arms.value.map((arm) => (
          <ArmRow key={arm.name} arm={arm} />
        ))}
      </ul>
    </Section>
  );
}

function ArmRow({ arm: { name, arm } }: { arm: ProjectArm }) {
  const refusal = useSignal<Failure | null>(null);
  const isSelected = name === selectedArm.value;
  const row = robots.value?.find((candidate) => candidate.name === arm.name);
  const rename = async (input: HTMLInputElement): Promise<void> => {
    const to = input.value.trim();
    if (to !== "" && to !== name) refusal.value = await renameArm(name, to);
    input.value = name;
  };
  return (
    <li data-arm={name} aria-current={isSelected ? "true" : undefined}>
      <input
        type="text"
        class="text-field"
        maxLength={60}
        aria-label={t("arms.nameOf", { name })}
        value={name}
        onChange={(event) => void rename(event.currentTarget)}
      />
      <button type="button" aria-pressed={isSelected} onClick={() => selectArm(name)}>
        {t(isSelected ? "arms.selected" : "arms.select")}
      </button>
      <IconButton icon="delete" label={t("arms.remove", { name })} onClick={() => void removeArm(name)} />
      <p class="hint arms-model">{row === undefined ? arm.name : armTitle(row)}</p>
      {refusal.value !== null && (
        <p class="problem arms-model" role="alert">
          {sentenceOf(refusal.value.code, refusal.value.message)}
        </p>
      )}
    </li>
  );
}
