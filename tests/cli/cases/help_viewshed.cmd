landfall help viewshed
