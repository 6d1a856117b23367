for s in falling rising alternating bilinear posts; do landfall height valley.asc --surface $s --at 9,8 --at 2,2; done
