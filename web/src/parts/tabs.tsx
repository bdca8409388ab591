/** `<Tabs …/>`: a row of tabs, arrows move between them; the chosen one's content goes into `<TabPanel …>`. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
}

interface TabsProps {
  /** Unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  /** Whether the chosen one's content is there. */
  readonly isOpen?: boolean;
  readonly onChoose: (id: string) => void;
}

export function Tabs({ name, label, tabs, chosen, isOpen = true, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = nextTab(event.key, at, tabs.length);
    const tab = to === null ? undefined : tabs[to];
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-tab-${tab.id}`}
          class="tab"
          data-tab={tab.id}
          aria-selected={tab.id === chosen}
          aria-controls={isOpen && tab.id === chosen ? `${name}-panel` : undefined}
          tabIndex={tab.id === chosen ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.icon !== undefined && <Icon name={tab.icon} />}
          <span>{tab.title}</span>
        </button>
      ))}
    </div>
  );
}

/** How far each panel was scrolled when it was left. */
const scrolled = new Map<string, number>();

export function TabPanel({
  name,
  chosen,
  children,
}: {
  name: string;
  chosen: string;
  children: ComponentChildren;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (panel.current !== null) panel.current.scrollTop = scrolled.get(chosen) ?? 0;
  }, [chosen]);
  return (
    <div
      ref={panel}
      onScroll={(event) => scrolled.set(chosen, event.currentTarget.scrollTop)}
      id={`${name}-panel`}
      class="tab-panel"
      role="tabpanel"
      tabIndex={-1}
      aria-labelledby={`${name}-tab-${chosen}`}
      data-panel={chosen}
    >
      {children}
    </div>
  );
}

/** Return where a key leads from tab `at` of `count`, or null for other keys. */
export function nextTab(key: string, at: number, count: number): number | null {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
