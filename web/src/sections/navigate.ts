/** Goes to a section: scrolls and moves the focus to its question, so that a keyboard goes on from there. */
import type { SectionId } from '../state/url';

export function goTo(section: SectionId): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(section)?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  document.getElementById(`${section}-question`)?.focus({ preventScroll: true });
}
