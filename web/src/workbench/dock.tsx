/** A side of the workbench with tabs: the chosen panel is loaded when it is first shown. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asFailure, type Failure } from "../api";
import { t } from "../i18n";
import { FailureNote } from "../parts/failure";
import { IconButton } from "../parts/icon-button";
import { TabPanel, Tabs } from "../parts/tabs";
import { type Panel, PANELS } from "../panels/registry";
import { isFull, openPanel, panelsOf, shownPanel, sizes, toggle } from "./layout";
import { PlayerBar } from "./player-bar";

const loaded = new Map<string, ComponentType>();

export function RightDock() {
  const panel = shownPanel("right");
  const tabs = panelsOf("right").map(({ id, title, icon }) => ({ id, icon, title: t(title) }));
  return (
    <section id="right" class="dock right" aria-label={t("dock.right")}>
      <Tabs name="right" label={t("dock.right")} tabs={tabs} chosen={panel?.id ?? ""} onChoose={openPanel} />
      {panel !== null && (
        <TabPanel key={panel.id} name="right" chosen={panel.id}>
          <Loaded key={panel.id} panel={panel} />
        </TabPanel>
      )}
    </section>
  );
}

export function BottomDock() {
  const panel = shownPanel("bottom");
  const { bottomOpen } = sizes.value;
  const tabs = panelsOf("bottom").map(({ id, title, icon }) => ({ id, icon, title: t(title) }));
  return (
    <section
      id="bottom"
      class="dock bottom"
      aria-label={t("dock.bottom")}
      data-open={bottomOpen && panel !== null}
    >
      <div class="dock-head">
        {panel !== null && (
          <>
            <IconButton
              icon={bottomOpen ? "down" : "up"}
              label={t(bottomOpen ? "dock.close" : "dock.open")}
              aria-expanded={bottomOpen}
              onClick={() => toggle("bottom")}
            />
            <Tabs
              name="bottom"
              label={t("dock.bottom")}
              tabs={tabs}
              chosen={panel.id}
              isOpen={bottomOpen}
              onChoose={openPanel}
            />
          </>
        )}
        <PlayerBar />
        {panel !== null && bottomOpen && (
          <IconButton
            icon={isFull.value ? "shrink" : "full"}
            label={t(isFull.value ? "dock.shrink" : "dock.full")}
            aria-pressed={isFull.value}
            onClick={() => (isFull.value = !isFull.value)}
          />
        )}
      </div>
      {panel !== null && bottomOpen && (
        <TabPanel key={panel.id} name="bottom" chosen={panel.id}>
          <Loaded key={panel.id} panel={panel} />
        </TabPanel>
      )}
    </section>
  );
}

/** Fetch the other panels when the page has nothing better to do, so that a tab opens at once. */
export function preloadPanels(): void {
  const later =
    "requestIdleCallback" in window ? requestIdleCallback : (run: () => void) => setTimeout(run, 1500);
  later(() => {
    for (const panel of PANELS) void load(panel).catch(() => undefined);
  });
}

async function load(panel: Panel): Promise<ComponentType> {
  const component = loaded.get(panel.id) ?? (await panel.load()).default;
  loaded.set(panel.id, component);
  return component;
}

function Loaded({ panel }: { panel: Panel }) {
  const [component, setComponent] = useState<{ readonly of: ComponentType } | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const fetchIt = (): void => {
    setFailure(null);
    load(panel).then(
      (of) => setComponent({ of }),
      (reason: unknown) => setFailure(asFailure(reason)),
    );
  };
  useEffect(fetchIt, [panel]);
  const Shown = loaded.get(panel.id) ?? component?.of;
  if (Shown !== undefined) return <Shown />;
  if (failure !== null) return <FailureNote failure={failure} onRetry={fetchIt} />;
  return <p class="quiet loading">{t("loading.panel")}</p>;
}
