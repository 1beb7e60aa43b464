/** Charts are drawn for the width they have; text is never scaled. `<div use:width={(w) => …}>` */
export function width(node: HTMLElement, report: (width: number) => void): { destroy: () => void } {
  const observer = new ResizeObserver((entries) => {
    const found = entries[0]?.contentRect.width;
    if (found) report(Math.round(found));
  });
  observer.observe(node);
  return { destroy: () => observer.disconnect() };
}
