// What the developer has set for payctl, or for the network, is not for the processes that tests start.
for (const name of Object.keys(process.env)) {
  if (/^PAYCTL_(?!TESTS|CONFIG_DIR)|^(https?|all|no)_proxy$/i.test(name)) delete process.env[name]
}

export {}
