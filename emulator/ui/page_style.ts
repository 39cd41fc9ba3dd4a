/** Style sheet of all pages; text has a contrast of at least 4.5 to 1, in light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f3f5f7; --card: #fff; --line: #d5dce2; --line-strong: #77858f;
  --text: #14212b; --soft: #4d5c67; --accent: #0b5a50; --on-accent: #fff; --accent-deep: #08463e;
  --tint: #eef5f3; --shadow: 0 1px 2px rgb(20 33 43 / .06), 0 12px 32px rgb(20 33 43 / .08);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1317; --card: #151d23; --line: #2c3942; --line-strong: #8596a2;
    --text: #e9eff3; --soft: #a5b4bf; --accent: #6fd0be; --on-accent: #05231e; --accent-deep: #95e0d2;
    --tint: #17282a; --shadow: none;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1rem 3rem; max-width: 34rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: .625rem; margin: 0 .25rem 1.25rem; flex-wrap: wrap; }
header svg { fill: var(--accent); flex: none; }
.brand { font-weight: 650; letter-spacing: -.01em; }
.badge {
  margin-left: auto; padding: .125rem .625rem; border: 1px solid var(--line); border-radius: 99px;
  color: var(--soft); font-size: .8125rem;
}
.card {
  padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  box-shadow: var(--shadow);
}
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; font-weight: 650; }
p { margin: 0; }
.lead { color: var(--soft); }
form { margin-top: 1.75rem; }
fieldset { margin: 0 0 1.75rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .625rem; font-weight: 600; }
.choice {
  display: flex; gap: .875rem; padding: .875rem 1rem; border: 1px solid var(--line); cursor: pointer;
}
.choice + .choice { border-top: 0; }
.choice:first-of-type { border-radius: .75rem .75rem 0 0; }
.choice:last-of-type { border-radius: 0 0 .75rem .75rem; }
.choice:only-of-type { border-radius: .75rem; }
.choice:hover, .choice:has(:checked) { background: var(--tint); }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.title, .detail { display: block; }
.title { font-weight: 550; }
.detail { color: var(--soft); font-size: .9375rem; line-height: 1.4; }
.field { display: block; margin-bottom: 1.75rem; }
.field input {
  width: 100%; margin-top: .5rem; padding: .625rem .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line-strong); border-radius: .5rem;
}
.note { color: var(--soft); font-size: .9375rem; }
.card > .note { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.note a { color: var(--accent); }
.note strong { color: var(--text); font-weight: 600; }
.actions { display: grid; grid-template-columns: 1fr 2fr; gap: .75rem; margin-top: 1.5rem; }
button {
  min-height: 3rem; padding: .5rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--text); background: var(--card); border: 1px solid var(--line-strong); border-radius: .625rem;
}
button:hover { background: var(--tint); }
.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.primary:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice:has(:focus-visible) { position: relative; }
footer { display: flex; justify-content: space-between; gap: 1rem; margin: 1.25rem .25rem 0; color: var(--soft); font-size: .8125rem; }
.language { min-height: 1.5rem; color: inherit; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (max-width: 30rem) {
  body { padding: 1.25rem .75rem 2rem; }
  .card { padding: 1.5rem 1.125rem; border-radius: .875rem; }
  h1 { font-size: 1.3125rem; }
  .choice { padding: .75rem; gap: .75rem; }
}
@media (forced-colors: active) {
  .choice:has(:checked) { border: 2px solid Highlight; }
}
`
