/**
 * Results of long runs that more than one section shows: Timing measures, Finish compares. Thrown away when another
 * model is open (ties.svelte.ts calls `forget`); numbers of other machines stay.
 */
import type { Answers, ImportedTimings, LabRun, Timing } from '$client/api';

class Results {
  timing: Timing | null = $state.raw(null);
  /** From a file the reader gave. */
  imported: ImportedTimings | null = $state.raw(null);
  /** That file's text, when it is a time.json: the lab can be run with it. */
  timeText: string | null = $state.raw(null);
  /** Measured just now by `mm-native serve`, which serves this page. */
  live: ImportedTimings | null = $state.raw(null);
  /** By temperature as written: "0.3". */
  answers: Readonly<Record<string, Answers>> = $state.raw({});
  lab: LabRun | null = $state.raw(null);
  /** Its times are those of `timeText`. */
  labTimeGiven = $state(false);

  forget(): void {
    this.timing = null;
    this.answers = {};
    this.lab = null;
  }
}

export const results = new Results();
