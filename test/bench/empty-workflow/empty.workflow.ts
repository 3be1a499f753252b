/** The least that Temporal can do for anybody: start, one workflow task, result. */
export async function emptyWorkflow(): Promise<void> {}
