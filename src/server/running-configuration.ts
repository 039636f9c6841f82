import { coverageReport, describeSource, type Config, type Effective } from '#config';
import type { ConfiguredValue, RunningConfiguration } from '#management';

/** What the process runs with, as the management API shows it: secrets masked, as `millrace config show` has them. */
export function runningConfiguration(config: Config): RunningConfiguration {
  let values: readonly ConfiguredValue[] | undefined;
  return {
    file: config.file,
    values: () => (values ??= config.effective().map((value) => describe(config, value))),
    coverage: () => coverageReport().all,
  };
}

function describe(config: Config, { path, value, source }: Effective): ConfiguredValue {
  const plain = path.replaceAll(/\[\d+\]/g, '');
  const explained = config.explain(plain);
  return {
    path,
    value,
    source: describeSource(source, plain),
    kind: source.kind,
    doc: explained?.doc ?? '',
    effect: explained?.effect ?? '',
    status: explained?.status ?? 'pending',
  };
}
