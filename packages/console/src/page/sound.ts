// A short sound of two tones for what waits for the user, on request. Used by the frame and the settings. Plays audio;
// browsers allow it only after the user has clicked or typed on the page.

import { changeSettings, getSettings } from './use-settings.js'

const TONES = [660, 880] as const
const TONE_S = 0.14
const VOLUME = 0.15

let audio: AudioContext | undefined

/** Turns the sound on, and plays it, or off. */
export function switchSound(): void {
  changeSettings({ hasSound: !getSettings().hasSound })
  if (getSettings().hasSound) playSound()
}

export function playSound(): void {
  audio ??= new AudioContext()
  if (audio.state === 'suspended') {
    // Resolves when the user does something; the sound would be late then.
    void audio.resume()
    if (!navigator.userActivation.isActive) return
  }
  TONES.forEach((frequency, index) => audio && playTone(audio, frequency, audio.currentTime + index * TONE_S))
}

function playTone(context: AudioContext, frequency: number, start: number): void {
  const tone = context.createOscillator()
  const volume = context.createGain()
  tone.frequency.value = frequency
  volume.gain.setValueAtTime(VOLUME, start)
  // Without a ramp it ends with a click.
  volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_S)
  tone.connect(volume).connect(context.destination)
  tone.start(start)
  tone.stop(start + TONE_S)
}
