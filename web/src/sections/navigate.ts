/** Ways to a section. */
import { visit } from '../state/settings.svelte';
import type { SectionId } from '../state/url';

/** Goes there as a link does: Back returns. */
export function goTo(section: SectionId): void {
  visit(section);
  showSection(section);
}

/** Scrolls there and moves the focus to its question, so that a keyboard goes on from there. */
export function showSection(section: SectionId): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(section)?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  document.getElementById(`${section}-question`)?.focus({ preventScroll: true });
}
