/** The events of the wire, and who handles them; `Command` and `Event` are generated from the Python models. */

import type { Event as SessionEvent } from "./protocol.gen";

export type { Command, Event as SessionEvent } from "./protocol.gen";

/** One handler per event: a forgotten one does not compile. */
export type Handlers = {
  readonly [Type in SessionEvent["type"]]: (event: Extract<SessionEvent, { type: Type }>) => void;
};

/** Hand an event to its handler; a type that is not known here is passed over. */
export function dispatch(handlers: Handlers, event: SessionEvent): void {
  const handle = (handlers as Readonly<Record<string, ((event: SessionEvent) => void) | undefined>>)[
    event.type
  ];
  handle?.(event);
}
