landfall make park -o park.png --width 200 && od -An -tu1 -j1 -N3 park.png && od -An -tu1 -j16 -N8 park.png
landfall make mountains -o mountains.png --size 64,32 --width 200 && od -An -tu1 -j16 -N8 mountains.png
