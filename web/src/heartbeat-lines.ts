/** What a runtime needs to report here. */
export const heartbeatLines = `[dashboard_config]
dashboard_url = "${location.origin}/dashboard/api/"
group_id = "default"
node_id = "node-1"`;
