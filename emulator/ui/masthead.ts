import { html } from './html.ts'

/** Whose page this is, and that none of it is real. */
export const masthead = html`<header>
<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false"><path d="M12 2 3 6v2h18V6zM5 10v7h3v-7zm5.5 0v7h3v-7zm5.5 0v7h3v-7zM3 19v3h18v-3z"/></svg>
<span class="brand">payctl emulator</span>
<span class="badge">No real money</span>
</header>`
