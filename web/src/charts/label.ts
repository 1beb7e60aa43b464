/** A text of a chart. Charts list their texts, those that have room, and draw the list. */
export interface Label {
  x: number;
  y: number;
  text: string | number;
  /** `text-anchor`; start when absent. */
  at?: 'middle' | 'end' | undefined;
  class?: string | undefined;
}
