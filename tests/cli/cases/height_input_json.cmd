printf '1 1 a "quoted" word\n5,5,\303\251t\303\251 \377\n' | landfall height yard.obj --json
