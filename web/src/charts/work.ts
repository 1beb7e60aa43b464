/**
 * Where the chart of the work puts things. x counts token positions, y counts steps; a cell of 1 × 1 is one token that
 * entered forward in one step. Only drawing: how many cells a step has comes from the module's records.
 */
import { linear } from './scale';

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
  const x = linear([0, positions], [left, right]);
  const y = linear([0, steps], [top, bottom]);
  return { x, y, left, right, top, bottom };
}

/** Cells of consecutive steps, the first of them `from` (counted from 0): in each, those from `start` to `end`. */
export interface Row {
  start: number;
  end: number;
}

/** Their outline, with its stairs: down the ends, up again along the starts. */
export function rowsPath(frame: WorkFrame, rows: readonly Row[], from = 0): string {
  const corner = (cell: number, step: number) => `${round(frame.x(cell))} ${round(frame.y(step))}`;
  const down = rows.flatMap(({ end }, index) => [corner(end, from + index), corner(end, from + index + 1)]);
  const up = rows.flatMap(({ start }, index) => [corner(start, from + index), corner(start, from + index + 1)]).reverse();
  return rows.length > 0 ? `M${[...down, ...up].join('L')}Z` : '';
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;
