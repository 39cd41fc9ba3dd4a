import type { ComponentChildren } from 'preact'
import type { MessageKey } from './frame/language.ts'
import { Accounts } from './views/accounts.tsx'
import { Faults } from './views/faults.tsx'
import { Payments } from './views/payments.tsx'
import { People } from './views/people.tsx'
import { ReportView } from './views/report.tsx'
import { Requests } from './views/requests.tsx'
import { Search } from './views/search.tsx'
import { Time } from './views/time.tsx'
import { Webhooks } from './views/webhooks.tsx'
import { WhatIf } from './views/what_if.tsx'
import { Worlds } from './views/worlds.tsx'

/** A view of the page, at `#/<id>` and below. */
export interface View {
  /** First segment of the view's address. */
  readonly id: string
  readonly title: MessageKey
  /** Part of the navigation that lists the view; null: not listed. */
  readonly group: 'watch' | 'steer' | null
  /** Renders the view; `path` contains the segments after the id. */
  readonly Body: (props: { readonly path: readonly string[] }) => ComponentChildren
}

/** All views, in the order of the navigation. The first view is shown if the address of the page names none. */
export const views: readonly View[] = [
  { id: 'payments', title: 'nav.payments', group: 'watch', Body: Payments },
  { id: 'requests', title: 'nav.requests', group: 'watch', Body: Requests },
  { id: 'webhooks', title: 'nav.webhooks', group: 'watch', Body: Webhooks },
  { id: 'accounts', title: 'nav.accounts', group: 'watch', Body: Accounts },
  { id: 'report', title: 'nav.report', group: 'watch', Body: ReportView },
  { id: 'what-if', title: 'nav.whatIf', group: 'steer', Body: WhatIf },
  { id: 'time', title: 'nav.time', group: 'steer', Body: Time },
  { id: 'faults', title: 'nav.faults', group: 'steer', Body: Faults },
  { id: 'people', title: 'nav.people', group: 'steer', Body: People },
  { id: 'worlds', title: 'nav.worlds', group: 'steer', Body: Worlds },
  { id: 'search', title: 'nav.search', group: null, Body: Search },
]
