landfall height valley.asc --at 5,25 --at 15,5 --at 20,20 --at 10,10,100 --at 10,10,3 --at 30,20 --at 2,2 --at 35,10
