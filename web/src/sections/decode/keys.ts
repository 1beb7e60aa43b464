/**
 * Which keys step the scene: from inside the stage always, from the page itself (nothing focused) while the stage is in
 * view. A control that has its own use for a key keeps it.
 */
export type KeyAction = 'play' | 'next' | 'back' | 'first' | 'last';

const ACTIONS: Readonly<Record<string, KeyAction>> = { ' ': 'play', ArrowRight: 'next', ArrowLeft: 'back', Home: 'first', End: 'last' };

export function keyAction(event: KeyboardEvent, stage: HTMLElement): KeyAction | null {
  const action = ACTIONS[event.key];
  const target = event.target as HTMLElement;
  if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const nowhere = target === document.body || target === document.documentElement || target.matches?.('[tabindex="-1"]');
  if (!nowhere && !stage.contains(target)) return null;
  if (target.matches?.('input, select, textarea, summary')) return null;
  if (event.key === ' ' && target.closest('button, a')) return null;
  if (nowhere) {
    const { top, bottom } = stage.getBoundingClientRect();
    const visible = Math.min(bottom, innerHeight) - Math.max(top, 0);
    if (visible < Math.min(bottom - top, innerHeight) / 2) return null;
  }
  return action;
}
