// Removes service workers that another program has left in this browser: one that listened on the port of `ui` while that
// did not run, and whose page was opened. Such a worker would see the requests of the page. Called by browser-login.ts
// before it signs in. Changes the service workers of the browser.

const ACTIVATION_TIMEOUT_MS = 5000

/** Whether the requests of this document go to the server. If not, the document has to be loaded again. */
export async function removeForeignWorkers(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return true
  // Rejected where no page can have a worker, such as in some private windows.
  const registrations = await navigator.serviceWorker.getRegistrations().catch(() => [])
  const results = await Promise.all(registrations.map(ensureOwn))
  return results.every(Boolean)
}

async function ensureOwn(registration: ServiceWorkerRegistration): Promise<boolean> {
  const { active, waiting, installing, scope } = registration
  const own = new URL('service-worker.js', location.href).href
  const scripts = [active, waiting, installing].flatMap((worker) => worker?.scriptURL ?? [])
  if (scope !== new URL('./', location.href).href || scripts.some((script) => script !== own)) {
    await registration.unregister()
    return false
  }
  // The browser loads the script from the server, past every worker, and installs it if it has another content.
  await registration.update()
  const next = registration.installing ?? registration.waiting
  return next === null || isActivated(next)
}

function isActivated(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (worker.state === 'activated') resolve(true)
      else if (worker.state === 'redundant') resolve(false)
    }
    worker.addEventListener('statechange', check)
    setTimeout(() => resolve(false), ACTIVATION_TIMEOUT_MS)
    check()
  })
}
