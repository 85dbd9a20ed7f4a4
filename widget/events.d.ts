/** Events that browsers have and Preact's types do not. */
import type { EventHandler, TargetedEvent } from 'preact';

declare module 'preact' {
  interface DOMAttributes<Target extends EventTarget> {
    onSelectStart?: EventHandler<TargetedEvent<Target>>;
  }
}

declare global {
  interface Document {
    /** A page that is read before anybody goes there. */
    readonly prerendering?: boolean;
  }
}
