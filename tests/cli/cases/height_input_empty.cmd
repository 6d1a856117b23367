landfall height yard.obj </dev/null
printf '# nothing but a remark\n\n' | landfall height yard.obj
