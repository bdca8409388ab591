/** Forward and inverse kinematics: where the tool is, and all solutions for a target. */

import { useEffect } from "preact/hooks";
import { sheet } from "../../catalog";
import { t } from "../../i18n";
import { Segments } from "../../parts/segments";
import { Descent } from "./descent";
import { Forward } from "./forward";
import "./kinematics.css";
import { Meter } from "./meter";
import { Solutions } from "./solutions";
import { Starts } from "./starts";
import { chooseMode, mode } from "./state";
import { Target } from "./target";
import { showInView } from "./view3d";
import { WorkspaceOverlay } from "./workspace";

export default function KinematicsPanel() {
  useEffect(showInView, []);
  if (sheet.value === null) return <p class="quiet loading">{t("loading.arm")}</p>;
  return (
    <>
      <div class="kinematics-mode">
        <Segments
          label={t("kinematics.mode")}
          choices={[
            { id: "fk", title: t("kinematics.mode.fk"), hint: t("kinematics.mode.fk.hint") },
            { id: "ik", title: t("kinematics.mode.ik"), hint: t("kinematics.mode.ik.hint") },
          ]}
          chosen={mode.value}
          onChoose={chooseMode}
        />
      </div>
      {mode.value === "fk" ? (
        <>
          <Forward data={sheet.value} />
          <Meter />
          <WorkspaceOverlay />
        </>
      ) : (
        <>
          <Target data={sheet.value} />
          <Solutions data={sheet.value} />
          <Meter />
          <Descent />
          <Starts />
          <WorkspaceOverlay />
        </>
      )}
    </>
  );
}
