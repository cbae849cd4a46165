import type { RandomBytes } from '../domain/ids.ts';
import type { InventoryReader } from '../domain/ports/inventory.ts';
import type { AdoptSecret } from '../ingress/ingress-context.ts';
import { createReconcilers, type ReconcilerParts, type Reconcilers } from './create-reconcilers.ts';
import { createSecretAdoption } from './edit/adopt-secret.ts';
import { createFactoryEditor, type FactoryEditor } from './edit/factory-editor.ts';

/** What turns commits and edits into live webhooks. */
export interface DefinitionModules {
  reconcilers: Reconcilers;
  editor: FactoryEditor;
  adoptSecret: AdoptSecret;
}

export function wireDefinitions(
  parts: ReconcilerParts & { inventoryReader: InventoryReader; randomBytes: RandomBytes },
): DefinitionModules {
  const { inventory, inventoryReader, secrets, randomBytes, clock, ids } = parts;
  const reconcilers = createReconcilers(parts);
  const { betweenPasses, serve } = reconcilers;
  return {
    reconcilers,
    editor: createFactoryEditor({ secrets, randomBytes, inventory: inventoryReader, loop: reconcilers }),
    adoptSecret: createSecretAdoption({
      inventory: inventoryReader,
      pins: inventory,
      secrets,
      betweenPasses,
      serve,
      clock,
      ids,
    }),
  };
}
