import { InTerminal } from '../parts/states.tsx'

export const WhatIf = () => <InTerminal title="nav.whatIf" command="payctl emulator worlds" />
