import type { Scope } from '../../src/contract/index.ts'
import type { Requester } from '../oauth/authorization_request.ts'
import type { User } from '../store/users.ts'
import { type Html, html } from './html.ts'
import { type Language, markupIn, otherLanguage, textIn } from './language.ts'
import { masthead, type Page } from './page.ts'

interface Question {
  readonly requester: Requester
  readonly scopes: readonly Scope[]
  /**
   * Null: the page does not list users, so the person types the email address or id of a user, and the control token.
   */
  readonly users: readonly User[] | null
  /** Target of the form: the query of the page itself. */
  readonly action: string
  readonly language: Language
}

/** Asks for the user and the scopes to grant, with a form that needs no script. */
export function consentPage({ requester, scopes, users, action, language }: Question): Page {
  const { client, redirectUri } = requester
  const { origin, protocol } = new URL(redirectUri)
  const name = html`<bdi>${client.name}</bdi>`
  const target = html`<strong>${origin === 'null' ? protocol : origin}</strong>`
  return {
    title: textIn(language, 'consent.title'),
    language,
    redirectScheme: protocol,
    body: html`${masthead(language)}
<main class="card">
<h1>${markupIn(language, 'consent.heading', { client: name })}</h1>
<p class="lead">${textIn(language, 'consent.lead')}</p>
<form method="post" action="${action}">
<fieldset>
<legend>${textIn(language, 'consent.user')}</legend>
${users ? users.map(userChoice) : userFields(language)}
</fieldset>
<fieldset>
<legend>${markupIn(language, 'consent.scopes', { client: name })}</legend>
${scopes.map((scope) => scopeChoice(scope, language))}
</fieldset>
<p class="note">${markupIn(language, 'consent.note', { origin: target })}</p>
<div class="actions">
<button name="decision" value="deny" formnovalidate>${textIn(language, 'consent.deny')}</button>
<button name="decision" value="allow" class="primary">${textIn(language, 'consent.allow')}</button>
</div>
</form>
</main>
<footer><span>${markupIn(language, 'consent.client', { id: html`<code>${client.id}</code>` })}</span> ${otherLanguage(language, action)}</footer>`,
  }
}

const userChoice = (user: User, index: number): Html => html`<label class="choice">
<input type="radio" name="user" value="${user.id}" required${index === 0 ? checked : []}>
<span><span class="title"><bdi>${user.name}</bdi></span><span class="detail"><bdi>${user.email}</bdi></span></span>
</label>
`

const scopeChoice = (scope: Scope, language: Language): Html => html`<label class="choice">
<input type="checkbox" name="grant" value="${scope}" checked>
<span><span class="title">${textIn(language, `scope.${scope}`)}</span><span class="detail">${textIn(language, `scope.${scope}.detail`)}</span></span>
</label>
`

const checked = html` checked`

const usersCommand = html`<code>payctl emulator users</code>`

const userFields = (language: Language): Html => html`<label class="field">
<span class="title">${textIn(language, 'consent.name')}</span>
<span class="detail">${markupIn(language, 'consent.nameDetail', { command: usersCommand })}</span>
<input type="text" name="user" autocomplete="off" required>
</label>
<label class="field">
<span class="title">${textIn(language, 'consent.token')}</span>
<span class="detail">${textIn(language, 'consent.tokenDetail')}</span>
<input type="password" name="control_token" autocomplete="off" required>
</label>
`
