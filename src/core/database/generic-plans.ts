/**
 * Setting of a database session: plans are made without the values, once for each connection. For our statements they
 * are as good as those made with the values, or nearly so, and to make one takes as long as to read a page.
 */
export const GENERIC_PLANS = 'plan_cache_mode=force_generic_plan';
