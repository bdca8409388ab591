/** `<Progress work={calibration} />`: how far work on the server is, or why it failed. */

import { Failure } from "../../api";
import { sentence } from "../../i18n";
import { FailureNote } from "../../parts/failure";
import type { CalibrationJob, ClinicJob } from "../../protocol.gen";
import type { Work } from "./state";

export function Progress({ work }: { work: Work<CalibrationJob> | Work<ClinicJob> }) {
  const job = work.job.value;
  if (work.failure.value !== null)
    return <FailureNote failure={work.failure.value} onRetry={() => void work.look()} />;
  if (job?.state === "running") {
    const step = sentence(job.step ?? "");
    return (
      <div class="real-progress" role="status">
        <progress value={job.share} max={1} aria-label={step} /> {step}
      </div>
    );
  }
  const failed = job?.failure ?? null;
  if (job?.state !== "failed" || failed === null) return null;
  return <FailureNote failure={new Failure(failed.code, failed.message, failed.parameters, true)} />;
}
