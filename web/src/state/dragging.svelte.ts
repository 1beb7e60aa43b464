/** While files are held over the page: over which target. Each says what it takes, and only that one takes them. */
class Dragging {
  /** "page": anywhere; "timings": Timing's box. */
  over: 'page' | 'timings' | null = $state(null);
}

export const dragging = new Dragging();
export const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
