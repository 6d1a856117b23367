landfall height valley.asc --up --at 20,20 --at 20,20,30 --at 20,20,10
landfall height valley.asc --all --at 20,20 --at 34,16
