/** The grader's checks by file, in its own order; a group stands for its file's checks. Pure. */
import type { GradeResult } from '$client/api';

export type Check = GradeResult['checks'][number];
export interface Group {
  name: string;
  file: string;
  checks: Check[];
  ok: boolean;
  points: number;
  max: number;
}

const FILES: Readonly<Record<string, string>> = { cache: 'cache.py', report: 'report.md', folder: '' };

export function groups(checks: readonly Check[]): Group[] {
  const found = new Map<string, Group>();
  for (const check of checks) {
    const group = found.get(check.group) ?? {
      name: check.group,
      file: FILES[check.group] ?? `${check.group}.json`,
      checks: [],
      ok: true,
      points: 0,
      max: 0,
    };
    group.checks.push(check);
    group.ok &&= check.ok;
    group.points += check.points;
    group.max += check.max;
    found.set(check.group, group);
  }
  // That the folder could be read goes without saying here, unless it could not.
  return [...found.values()].filter((group) => group.max > 0 || !group.ok);
}
