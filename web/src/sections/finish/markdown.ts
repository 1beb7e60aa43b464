/**
 * The Markdown of report.md as a small tree: headings, paragraphs, lists, tables, fenced code; strong and code within
 * them. What is not one of these is text, HTML above all: the tree becomes elements and text nodes, never markup. Pure.
 */
export interface Span {
  kind: 'text' | 'strong' | 'code';
  text: string;
}
export type Align = 'start' | 'end' | 'center';
export type Block =
  | { kind: 'heading'; level: number; spans: Span[] }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'list'; items: Span[][] }
  | { kind: 'table'; align: Align[]; head: Span[][]; rows: Span[][][] }
  | { kind: 'code'; text: string };

const HEADING = /^(#{1,6}) +(.*?) *#*$/;
const ITEM = /^[-*] +(.*)$/;
const FENCE = /^(`{3,})/;
const DELIMITER = /^\|?( *:?-+:? *\|)* *:?-+:? *\|? *$/;

/** Code spans first, since nothing counts inside them; as CommonMark, a run of backticks ends at one of its length. */
export function spans(text: string): Span[] {
  const out: Span[] = [];
  let strong = false;
  let plain = '';
  const flush = () => {
    if (plain) out.push({ kind: strong ? 'strong' : 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    if (text[at] === '`') {
      const ticks = /^`+/.exec(text.slice(at))?.[0] ?? '`';
      const end = closing(text, ticks, at + ticks.length);
      if (end >= 0) {
        flush();
        let code = text.slice(at + ticks.length, end);
        if (code.startsWith(' ') && code.endsWith(' ') && code.trim()) code = code.slice(1, -1);
        out.push({ kind: 'code', text: code });
        at = end + ticks.length;
      } else {
        plain += ticks;
        at += ticks.length;
      }
    } else if (text.startsWith('**', at) && (strong || text.indexOf('**', at + 2) > 0)) {
      flush();
      strong = !strong;
      at += 2;
    } else if (text[at] === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
      plain += text[at + 1];
      at += 2;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  flush();
  return out;
}

function closing(text: string, ticks: string, from: number): number {
  for (let at = text.indexOf(ticks, from); at >= 0; at = text.indexOf(ticks, at + 1)) {
    let end = at;
    while (text[end] === '`') end += 1;
    if (end - at === ticks.length) return at;
    at = end - 1;
  }
  return -1;
}

/** Cells of a table's row. A pipe is a border even inside code, as in GFM, unless escaped. */
function cells(line: string): Span[][] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => spans(cell.trim().replaceAll('\\|', '|')));
}

function alignments(line: string): Align[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => {
      const mark = cell.trim();
      if (mark.startsWith(':') && mark.endsWith(':') && mark.length > 1) return 'center';
      return mark.endsWith(':') ? 'end' : 'start';
    });
}

export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const line = (index: number) => lines[index] ?? '';
  while (at < lines.length) {
    const now = line(at);
    const heading = HEADING.exec(now);
    const fence = FENCE.exec(now);
    if (now.trim() === '') at += 1;
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, spans: spans(heading[2] ?? '') });
      at += 1;
    } else if (fence) {
      const body: string[] = [];
      for (at += 1; at < lines.length && !line(at).startsWith(fence[1] ?? '```'); at += 1) body.push(line(at));
      at += 1;
      blocks.push({ kind: 'code', text: body.join('\n') });
    } else if (now.includes('|') && line(at + 1).includes('-') && DELIMITER.test(line(at + 1))) {
      const head = cells(now);
      const align = alignments(line(at + 1));
      const rows: Span[][][] = [];
      for (at += 2; at < lines.length && line(at).includes('|'); at += 1) rows.push(cells(line(at)));
      blocks.push({ kind: 'table', align, head, rows });
    } else if (ITEM.test(now)) {
      const items: Span[][] = [];
      for (; ITEM.test(line(at)); at += 1) items.push(spans(ITEM.exec(line(at))?.[1] ?? ''));
      blocks.push({ kind: 'list', items });
    } else {
      const body: string[] = [];
      for (; line(at).trim() !== '' && !HEADING.test(line(at)) && !ITEM.test(line(at)) && !FENCE.test(line(at)); at += 1) body.push(line(at));
      blocks.push({ kind: 'paragraph', spans: spans(body.join(' ')) });
    }
  }
  return blocks;
}
