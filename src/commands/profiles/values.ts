import { InvalidArgumentError } from 'commander'
import { checkedUrl } from '../../config/base_url.ts'
import { emulatorProfile, type ProfileKey, profileKeys } from '../../config/profile.ts'
import { parseKeyLife } from '../../run/time.ts'

/** Checks the name of any profile. */
export const anyProfileName = (text: string): string => (text === emulatorProfile ? text : profileName(text))

/** Checks the name of a profile that is not built in. */
export function profileName(text: string): string {
  if (text === emulatorProfile) {
    throw new InvalidArgumentError('This name is built in: it stands for the emulator that is running.')
  }
  if (/^\w[\w.-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError(
    'Give 1 to 64 letters, digits, dots, dashes and underscores, not starting with a dot or dash.',
  )
}

export function clientId(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text
  throw new InvalidArgumentError('Give the id from the service, without spaces.')
}

/** Accepts a key as the flag spells it (`auth-url`) and as the file spells it (`auth_url`). */
export function key(text: string, others: readonly ProfileKey[] = []): readonly ProfileKey[] {
  const known = profileKeys.find((name) => name !== 'base_url' && name === text.replaceAll('-', '_'))
  if (known) return [...others, known]
  throw new InvalidArgumentError(`Give one of ${keyNames}.`)
}

/** Keys of a profile that can be unset, as flags spell them. */
export const keyNames = profileKeys
  .filter((name) => name !== 'base_url')
  .map((name) => name.replaceAll('_', '-'))
  .join(', ')

/** Checks the lifetime of keys; returns the text as typed, because it is saved in this form. */
export function keyLife(text: string): string {
  if (!Number.isNaN(parseKeyLife(text))) return text
  throw new InvalidArgumentError('Give a time from 1m to 3650d, such as 24h.')
}

/** Refuses a URL that must not receive a token, because every use of the profile sends a token. */
export const serviceUrl = (text: string, name: string): string => checkedUrl(text, name, 'a token')
