// What a running job uses: processor, memory and ports, with a graph of the last minutes. Shown by job-detail.tsx. Renders
// only.

import { scaleGraph } from '../../scale-graph.js'
import type { JobUsageView, JobView } from '../../view.js'
import { useTranslator } from '../use-translator.js'

export function JobUsage({ job: { usage } }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  // Its server is too old to measure it, which job-detail.tsx says.
  if (usage === undefined) return null
  if (usage === null) return <p class="quiet">{translate('usageNotYet')}</p>
  if (usage === 'unknown') return <p class="quiet">{translate('usageUnknown')}</p>
  return <MeasuredUsage usage={usage} />
}

function MeasuredUsage({ usage }: { readonly usage: JobUsageView }) {
  const { translate, formatBytes, formatDuration, formatNumber } = useTranslator()
  const percents = usage.history.map(({ processorPercent }) => processorPercent)
  const bytes = usage.history.map(({ memoryBytes }) => memoryBytes)
  const percent = percents.at(-1)
  const seconds = Math.max(1, Math.round((usage.at - usage.historySince) / 1000))
  const time = formatDuration(seconds * 1000)
  return (
    <dl class="usage">
      <div>
        <dt>{translate('processor')}</dt>
        <dd>
          <Graph
            values={percents}
            floor={100}
            description={translate('processorGraph', {
              time,
              now: formatNumber(percent ?? 0),
              top: formatNumber(Math.max(0, ...percents)),
            })}
          />
          {percent !== undefined && <b>{translate('processorPercent', { n: formatNumber(percent) })}</b>}
          <span class="quiet">{translate('processorTime', { time: formatDuration(usage.processorMs) })}</span>
        </dd>
      </div>
      <div>
        <dt>{translate('memory')}</dt>
        <dd>
          <Graph
            values={bytes}
            floor={0}
            description={translate('memoryGraph', {
              time,
              now: formatBytes(usage.memoryBytes),
              top: formatBytes(Math.max(usage.memoryBytes, ...bytes)),
            })}
          />
          <b>{formatBytes(usage.memoryBytes)}</b>
          <span class="quiet">{translate('processCount', { n: usage.processes })}</span>
        </dd>
      </div>
      <div>
        <dt>{translate('ports')}</dt>
        <dd>
          <Ports usage={usage} />
        </dd>
      </div>
    </dl>
  )
}

const WIDTH = 120
const HEIGHT = 28

interface GraphProps {
  readonly values: readonly number[]
  /** The smallest value at the top. */
  readonly floor: number
  /** Said instead of the picture. */
  readonly description: string
}

function Graph({ values, floor, description }: GraphProps) {
  if (values.length < 2) return null
  const points = scaleGraph(values, floor).map((share, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    const y = HEIGHT - 1 - share * (HEIGHT - 2)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={description}
    >
      <title>{description}</title>
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** Links only where the browser is on the machine of the server, and the port is not in a network of the job's own. */
function Ports({ usage: { ports, hasOwnNetwork } }: { readonly usage: JobUsageView }) {
  const { translate } = useTranslator()
  if (ports.length === 0) return <span class="quiet">{translate('portsNone')}</span>
  const isRemote = !LOOPBACK.test(location.hostname)
  const isReachable = !isRemote && !hasOwnNetwork
  return (
    <>
      <ul class="ports" dir="ltr">
        {ports.map((port) => (
          <li key={port}>
            {isReachable ? (
              <a href={`http://127.0.0.1:${port}/`} target="_blank" rel="noopener noreferrer">
                {port}
              </a>
            ) : (
              port
            )}
          </li>
        ))}
      </ul>
      {!isReachable && <span class="quiet">{translate(hasOwnNetwork ? 'portsInside' : 'portsRemote')}</span>}
    </>
  )
}
