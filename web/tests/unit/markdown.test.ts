import { describe, expect, it } from 'vitest';
import { parseMarkdown, spans } from '../../src/sections/finish/markdown';

const text = (list: ReturnType<typeof spans>) => list.map((span) => `${span.kind[0]}:${span.text}`);

describe('spans', () => {
  it('knows strong and code', () => {
    expect(text(spans('가 **나** `다` 라'))).toEqual(['t:가 ', 's:나', 't: ', 'c:다', 't: 라']);
  });
  it('takes nothing inside code for a mark', () => {
    expect(text(spans('`**a** <b>` ``x`y`` `` ` ``'))).toEqual(['c:**a** <b>', 't: ', 'c:x`y', 't: ', 'c:`']);
  });
  it('leaves what is not closed as it stands', () => {
    expect(text(spans('a ** b'))).toEqual(['t:a ** b']);
    expect(text(spans('a `b'))).toEqual(['t:a `b']);
    expect(text(spans('``a`'))).toEqual(['t:``a`']);
  });
  it('keeps HTML as text', () => {
    expect(text(spans('<img src=x onerror=alert(1)> [a](javascript:b)'))).toEqual(['t:<img src=x onerror=alert(1)> [a](javascript:b)']);
  });
  it('understands escapes', () => {
    expect(text(spans('\\*\\*a\\*\\* \\가'))).toEqual(['t:**a** \\가']);
  });
});

describe('blocks', () => {
  it('reads what report.md is made of', () => {
    const blocks = parseMarkdown('# 제목\n\n첫 줄\n둘째 줄\n\n## KV 캐시\n\n|  | 있음 | 없음 |\n| :-- | --: | :-: |\n| 토큰 | 264 | 14880 |\n| 시간 | 0.05 | 2.2 |\n\n- 하나\n- `둘`\n\n끝\n');
    expect(blocks.map((block) => block.kind)).toEqual(['heading', 'paragraph', 'heading', 'table', 'list', 'paragraph']);
    expect(blocks[1]).toEqual({ kind: 'paragraph', spans: [{ kind: 'text', text: '첫 줄 둘째 줄' }] });
    const table = blocks[3];
    if (table?.kind !== 'table') throw new Error('no table');
    expect(table.align).toEqual(['start', 'end', 'center']);
    expect(table.head.map(text)).toEqual([[], ['t:있음'], ['t:없음']]);
    expect(table.rows.map((row) => row.map(text))).toEqual([
      [['t:토큰'], ['t:264'], ['t:14880']],
      [['t:시간'], ['t:0.05'], ['t:2.2']],
    ]);
  });
  it('cuts cells at every pipe but an escaped one', () => {
    const [table] = parseMarkdown('| a |\n|--|\n| x\\|y |\n');
    expect(table?.kind === 'table' && table.rows[0]?.map(text)).toEqual([['t:x|y']]);
  });
  it('keeps fenced code as it is', () => {
    expect(parseMarkdown('```\n# no **b**\n```\n')).toEqual([{ kind: 'code', text: '# no **b**' }]);
  });
  it('ends on anything', () => {
    for (const odd of ['', '\n\n', '```', '|', '|\n|-', '- ', '# ', '#######', '**', '`'.repeat(1000), '|'.repeat(2000), '* '.repeat(2000)]) {
      expect(Array.isArray(parseMarkdown(odd))).toBe(true);
    }
  });
});
