// The settings of the page: language, theme, notifications, sound, and logging out. Opened from the frame. Changes the
// stored settings; asks the browser for the permission to notify.

import { useState } from 'preact/hooks'

import { useInstallation } from '../install-app.js'
import { canNotify, isNotificationDenied, switchNotifications } from '../notifications.js'
import { switchSound } from '../sound.js'
import { changeSettings, THEME_NAMES, THEMES, useSettings } from '../use-settings.js'
import { useTranslator } from '../use-translator.js'
import { Dialog } from './dialog.js'
import { LanguageSwitch } from './header.js'

interface SettingsDialogProps {
  readonly close: () => void
  readonly chooseLanguage: (language: string) => void
  readonly logOut: () => void
}

export function SettingsDialog({ close, chooseLanguage, logOut }: SettingsDialogProps) {
  const { translate } = useTranslator()
  return (
    <Dialog title={translate('settings')} close={close}>
      <div class="options">
        <h3>{translate('language')}</h3>
        <LanguageSwitch chooseLanguage={chooseLanguage} />
        <ThemeChoice />
        <NotificationChoice />
        <SoundChoice />
        <Installation />
      </div>
      <div class="actions">
        <button class="button" type="button" onClick={logOut}>
          {translate('logOut')}
        </button>
        <button class="button main" type="button" onClick={close}>
          {translate('close')}
        </button>
      </div>
    </Dialog>
  )
}

function ThemeChoice() {
  const { translate } = useTranslator()
  const { theme } = useSettings()
  return (
    <>
      <h3 id="theme">{translate('theme')}</h3>
      <div class="themes" role="radiogroup" aria-labelledby="theme">
        {THEMES.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="theme"
              checked={each === theme}
              onChange={() => changeSettings({ theme: each })}
            />
            {translate(THEME_NAMES[each])}
          </label>
        ))}
      </div>
    </>
  )
}

function NotificationChoice() {
  const { translate } = useTranslator()
  const { hasNotifications } = useSettings()
  const [isDenied, setDenied] = useState(isNotificationDenied)
  const isOn = hasNotifications && !isDenied
  const change = (): void => void switchNotifications().then(() => setDenied(isNotificationDenied()))
  return (
    <>
      <h3>{translate('notifications')}</h3>
      <div class="option">
        <p class="quiet">
          {translate(!canNotify() ? 'notificationsNone' : isDenied ? 'notificationsDenied' : 'notificationsHow')}
        </p>
        {canNotify() && !isDenied && (
          <button class="button small" type="button" aria-pressed={isOn} onClick={change}>
            {translate(isOn ? 'turnOff' : 'turnOn')}
          </button>
        )}
      </div>
    </>
  )
}

function SoundChoice() {
  const { translate } = useTranslator()
  const { hasSound } = useSettings()
  return (
    <>
      <h3 id="sound">{translate('sound')}</h3>
      <label class="option">
        <input type="checkbox" checked={hasSound} onChange={switchSound} />
        {translate('soundHow')}
      </label>
    </>
  )
}

/** Only where the browser offers it. */
function Installation() {
  const { translate } = useTranslator()
  const install = useInstallation()
  if (install === undefined) return null
  return (
    <>
      <h3>{translate('app')}</h3>
      <div class="option">
        <p class="quiet">{translate('appHow')}</p>
        <button class="button small" type="button" onClick={install}>
          {translate('appInstall')}
        </button>
      </div>
    </>
  )
}
