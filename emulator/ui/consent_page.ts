import type { Scope } from '../../src/contract/index.ts'
import type { Requester } from '../oauth/authorization_request.ts'
import type { User } from '../store/users.ts'
import { type Html, html } from './html.ts'
import { masthead, type Page } from './page.ts'

interface Question {
  readonly requester: Requester
  readonly scopes: readonly Scope[]
  /** Null: the user types a user's name and the control token. */
  readonly users: readonly User[] | null
  /** Target of the form: the query of the page itself. */
  readonly action: string
}

/** Asks who signs in and what the client may do, with a form that needs no script. */
export function consentPage({ requester, scopes, users, action }: Question): Page {
  const { client, redirectUri } = requester
  const { origin, protocol } = new URL(redirectUri)
  return {
    title: 'Allow access?',
    redirectScheme: protocol,
    body: html`${masthead}
<main class="card">
<h1><bdi>${client.name}</bdi> asks for access to your accounts</h1>
<p class="lead">Choose who you are and what it may do. You can say no to any part.</p>
<form method="post" action="${action}">
<fieldset>
<legend>Sign in as</legend>
${users ? users.map(userChoice) : userFields}
</fieldset>
<fieldset>
<legend>Allow <bdi>${client.name}</bdi> to</legend>
${scopes.map(scopeChoice)}
</fieldset>
<p class="note">You go back to <strong>${origin === 'null' ? protocol : origin}</strong> either way. Access can be
renewed without you until the application gives it up.</p>
<div class="actions">
<button name="decision" value="deny" formnovalidate>Deny</button>
<button name="decision" value="allow" class="primary">Allow</button>
</div>
</form>
</main>
<footer>Client ID <code>${client.id}</code></footer>`,
  }
}

const userChoice = (user: User, index: number): Html => html`<label class="choice">
<input type="radio" name="user" value="${user.id}" required${index === 0 ? checked : []}>
<span><span class="title"><bdi>${user.name}</bdi></span><span class="detail"><bdi>${user.email}</bdi></span></span>
</label>
`

const scopeChoice = (scope: Scope): Html => html`<label class="choice">
<input type="checkbox" name="grant" value="${scope}" checked>
<span><span class="title">${scopeWords[scope].title}</span><span class="detail">${scopeWords[scope].detail}</span></span>
</label>
`

const checked = html` checked`

const userFields = html`<label class="field">
<span class="title">Email address or id</span>
<span class="detail"><code>payctl emulator users</code> lists the users of this emulator.</span>
<input type="text" name="user" autocomplete="off" required>
</label>
<label class="field">
<span class="title">Control token</span>
<span class="detail">This emulator can be reached from other machines. Its token is the one it was started with.</span>
<input type="password" name="control_token" autocomplete="off" required>
</label>
`

/** Descriptions of the scopes for the person who grants them. */
const scopeWords: Readonly<Record<Scope, { readonly title: string; readonly detail: string }>> = {
  'read-user': {
    title: 'See who you are',
    detail: 'Your name, your email address and when you joined.',
  },
  'read-accounts': {
    title: 'See your accounts',
    detail: 'Your IBANs, balances and transfers, and who holds another IBAN or phone number.',
  },
  'manage-accounts': {
    title: 'Open accounts',
    detail: 'New accounts in your name, in colones or dollars.',
  },
  'send-payments': {
    title: 'Send payments',
    detail:
      'The application can send money from your accounts without asking you again. Also your payment history and exchange rates.',
  },
  'manage-webhooks': {
    title: 'Set up notifications',
    detail: 'Every payment you make or receive is reported to an internet address the application picks.',
  },
}
