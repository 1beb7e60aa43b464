/**
 * Where the chart of the work puts things. x counts token positions, y counts steps; a cell of 1 × 1 is one token that
 * entered forward in one step. Only drawing: how many cells a step has comes from the module's records.
 */
import { scaleLinear } from 'd3-scale';
import { area, curveLinear } from 'd3-shape';

export interface WorkFrame {
  x: (tokens: number) => number;
  y: (steps: number) => number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function workFrame(width: number, height: number, positions: number, steps: number): WorkFrame {
  const [left, right, top, bottom] = [40, width - 8, 26, height - 26];
  const x = scaleLinear([0, positions], [left, right]);
  const y = scaleLinear([0, steps], [top, bottom]);
  return { x, y, left, right, top, bottom };
}

/** Cells of consecutive steps, the first of them `from` (counted from 0): in each, those from `start` to `end`. */
export interface Row {
  start: number;
  end: number;
}

/** Their outline, with its stairs. */
export function rowsPath(frame: WorkFrame, rows: readonly Row[], from = 0): string {
  const edges = rows.flatMap((row, index) => [
    { ...row, at: from + index },
    { ...row, at: from + index + 1 },
  ]);
  const outline = area<(typeof edges)[number]>()
    .y((edge) => frame.y(edge.at))
    .x0((edge) => frame.x(edge.start))
    .x1((edge) => frame.x(edge.end))
    .curve(curveLinear)
    .digits(1);
  return outline(edges) ?? '';
}
