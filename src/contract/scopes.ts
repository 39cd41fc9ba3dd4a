/** OAuth scopes and their permissions. Source: interface, "Authentication". */
export const scopes = {
  'read-user': 'basic profile information',
  'read-accounts': 'account information, balances, transfers',
  'manage-accounts': 'creating accounts',
  'send-payments': 'creating and validating payments, viewing payment history and status',
  'manage-webhooks': 'managing webhook subscriptions',
} as const

export type Scope = keyof typeof scopes

export const allScopes = Object.keys(scopes) as readonly Scope[]
