/** The bodies of the project as a list, and buttons that add one. */

import { t, shortNumber, unit } from "../../i18n";
import { holding } from "../../events";
import { IconButton } from "../../parts/icon-button";
import { Icon } from "../../parts/icon";
import { project } from "../../project";
import type { BodyTable } from "../../protocol.gen";
import { deselect, isSelected, select } from "../../selection";
import { addBody, deleteBody, duplicateBody, kindWord, refusal, refusalText } from "./acts";
import { isFixed, KINDS } from "./bodies";

const GREY = "#8a94a6";

export function BodyList() {
  const bodies = project.value?.bodies ?? [];
  if (bodies.length === 0) return <p class="quiet">{t("scene.bodies.none")}</p>;
  return (
    <ul class="scene-bodies" aria-label={t("scene.bodies.heading")}>
      {bodies.map((body) => (
        <Body key={body.name} body={body} />
      ))}
    </ul>
  );
}

function Body({ body }: { body: BodyTable }) {
  const { name, kind, mass, colour } = body;
  const isChosen = isSelected("body", name);
  const facts = isFixed(body) ? t("scene.fixed") : `${shortNumber(mass ?? 0, 2)} ${unit("kg")}`;
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Delete") void deleteBody(name);
  };
  return (
    <li class="scene-body" data-body={name} data-chosen={isChosen ? "" : undefined} onKeyDown={press}>
      <button
        type="button"
        class="scene-body-name"
        aria-pressed={isChosen}
        onClick={() => (isChosen ? deselect() : select("body", name))}
      >
        <span class="scene-swatch" style={{ background: colour ?? GREY }} aria-hidden="true" />
        <span class="scene-body-title">{name}</span>
        <span class="scene-body-facts">
          {kindWord(kind)} · {holding.value === name ? t("scene.held") : facts}
        </span>
      </button>
      <IconButton
        icon="copy"
        label={t("scene.duplicate", { name })}
        onClick={() => void duplicateBody(name)}
      />
      <IconButton icon="delete" label={t("scene.delete", { name })} onClick={() => void deleteBody(name)} />
    </li>
  );
}

export function AddButtons() {
  const failure = refusal.value;
  return (
    <>
      <div class="scene-add" role="group" aria-label={t("scene.add.label")}>
        {KINDS.map((kind) => (
          <button key={kind} type="button" data-add={kind} onClick={() => void addBody(kind)}>
            <Icon name="add" />
            {kindWord(kind)}
          </button>
        ))}
      </div>
      {failure !== null && (
        <div class="card scene-refusal" data-kind="error" role="alert">
          <p>{refusalText(failure)}</p>
          <p>{t("scene.refused.unchanged")}</p>
        </div>
      )}
    </>
  );
}
