landfall viewshed -ox 1 -help
