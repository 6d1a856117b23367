# A comma splits columns, whatever the locale makes of it.
printf '1,5\n' | landfall height yard.obj
