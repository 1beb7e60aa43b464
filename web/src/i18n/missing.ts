/** What is said when no language's words have come: in all of them. The only words that stand in the page's own script. */
export const MISSING = [
  { lang: 'ko', text: '화면의 글이 도착하지 않았습니다.', retry: '다시 시도' },
  { lang: 'zh', text: '页面上的文字没有传到。', retry: '重试' },
  { lang: 'en', text: "The page's words did not arrive.", retry: 'Try again' },
] as const;

/** A page with these sentences, and the way out: a script that did not come is asked for anew only by a new page. */
export function showMissing(target: HTMLElement): void {
  const box = document.createElement('main');
  box.className = 'missing';
  box.setAttribute('role', 'alert');
  for (const { lang, text, retry } of MISSING) {
    const line = document.createElement('p');
    line.lang = lang;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = retry;
    button.onclick = () => location.reload();
    line.append(text, ' ', button);
    box.append(line);
  }
  target.replaceChildren(box);
}
