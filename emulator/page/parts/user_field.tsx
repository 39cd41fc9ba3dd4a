import type { Signal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { text } from '../frame/language.ts'

export type User = ControlOutputOf<'control.users.list'>[number]

/** Field to choose the user who acts; `value` is the user's id. */
export const UserField = ({ users, value }: { readonly users: readonly User[]; readonly value: Signal<string> }) => (
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
