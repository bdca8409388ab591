/** What stands round the arm: add, move and delete things, pick and place them, and see what touches what. */

import { sheet } from "../../catalog";
import { t } from "../../i18n";
import { Section } from "../../parts/section";
import { project } from "../../project";
import { chosenBody } from "./acts";
import { AddButtons, BodyList } from "./body-list";
import { BodyEditor } from "./body-editor";
import { Frames } from "./frames";
import { Hold } from "./hold";
import "./scene.css";
import { Scenes } from "./scenes";
import { ShowTouches, startTouches, TouchList } from "./touches";

startTouches();

export default function ScenePanel() {
  if (project.value === null || sheet.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  const chosen = chosenBody();
  return (
    <>
      <Section
        id="scene.bodies"
        title={t("scene.bodies.heading")}
        help={t("scene.bodies.help")}
        open="always"
      >
        <BodyList />
        <AddButtons />
        <p class="hint">{t("scene.ground")}</p>
      </Section>
      {chosen !== null && (
        <Section
          id="scene.body"
          title={t("scene.body.heading", { name: chosen.name })}
          help={t("scene.body.help")}
        >
          <BodyEditor body={chosen} />
        </Section>
      )}
      <Section id="scene.hold" title={t("scene.hold.heading")} help={t("scene.hold.help")}>
        <Hold />
      </Section>
      <Section
        id="scene.touches"
        title={t("scene.touches.heading")}
        help={t("scene.touches.help")}
        actions={<ShowTouches />}
      >
        <TouchList />
      </Section>
      <Section id="scene.frames" title={t("frames.heading")} help={t("frames.help")} open={false}>
        <Frames />
      </Section>
      <Section id="scene.scenes" title={t("scene.scenes.heading")} help={t("scene.scenes.help")} open={false}>
        <Scenes />
      </Section>
    </>
  );
}
