import type { Delivery } from '../../resources/delivery.ts';

/** What was wrong with a rejected delivery. None of it ever holds anything of a secret or of the request. */
export interface DeliveryDiagnosis {
  /** For programs: `none` where the request is good by now; `null` where nothing explains the rejection. */
  mistake: string | null;
  /** For people: which one, and what to do. */
  sentence: string;
  /** If nothing explains it: the mistakes that were tested. */
  tried: string[];
}

/** Says why a delivery was rejected. */
export type DiagnoseDelivery = (delivery: Delivery) => Promise<DeliveryDiagnosis>;
