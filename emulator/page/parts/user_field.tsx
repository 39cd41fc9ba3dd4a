import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { text } from '../frame/language.ts'

export type User = ControlOutputOf<'control.users.list'>[number]

/** Field to choose the user who acts; `value` is the user's id. */
export function UserField({ users, value }: { readonly users: readonly User[]; readonly value: Signal<string> }) {
  useEffect(() => {
    // The world may have been replaced by a world with other users.
    if (!users.some(({ id }) => id === value.value)) value.value = users[0]?.id ?? ''
  }, [users])
  return (
    <label class="field">
      <span>{text('request.user')}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      >
        {users.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
