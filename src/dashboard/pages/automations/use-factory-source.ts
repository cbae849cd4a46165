import { useFactory } from '../../shell/context/current-factory.ts';
import { useMay } from '../../shell/context/session-user.ts';

/** The source of the current factory, and whether the signed-in user may change its automations here. */
export function useFactorySource() {
  const { name, source } = useFactory();
  const isManager = useMay('manager');
  const isRepository = source?.type === 'repository';
  return { factory: name, source, isRepository, mayEdit: isManager && source !== null && !isRepository };
}
