landfall help --man | head -12
landfall help --man verify
landfall help --man nothing
landfall help --completion | grep -E '^ +(verify|collide)\)'
